// What this version understands beyond the contract: both ends of a connection say it in `hello`.

export const helloFeatures = ["progress", "log", "richContent"] as const;

export type HelloFeature = (typeof helloFeatures)[number];
