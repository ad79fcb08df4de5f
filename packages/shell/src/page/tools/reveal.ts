// What a text would hide is shown on the page as it is in a log: one function for both.

export { reveal } from "@hawser/wire";
