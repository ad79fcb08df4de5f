// Names that every client takes, for tools and servers alike: letters, digits, `_` and `-`, at most 64.

export const maxNameLength = 64;

export const isClientName = (name: string): boolean => name.length <= maxNameLength && /^[A-Za-z0-9_-]+$/.test(name);
