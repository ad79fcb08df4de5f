// Every number that a test, a scenario or a page carries is explained on the page of requirements, once.

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

const numbers = /\b(?:[GRHO]\d{1,3}|(?:WIR|SOK|BRG|RPC|RUN|FSX|CMD|WEB|SEC)-\d\d)\b/g;
const numbersIn = (text: string): string[] => text.match(numbers) ?? [];

const page = "docs/requirements.md";
const explained = [...read(page).matchAll(/^\| ([A-Z]+-?\d+) +\| (\S.*\S) +\|$/gm)].map(([, number = ""]) => number);

const testFiles = globSync(
  ["packages/*/test/**/*.{ts,tsx}", "test/**/*.ts", "clients/test/**/*.ts", "apps/*/test/**/*.ts", "packages/conformance/src/**/*.ts"],
  { cwd: root },
);

describe("numbers of requirements", () => {
  it("are explained once each", () => {
    expect(explained.length).toBeGreaterThan(200);
    expect(explained.filter((number, position) => explained.indexOf(number) !== position)).toEqual([]);
  });

  it("are explained wherever a test or a scenario carries one", () => {
    const unexplained = testFiles.flatMap((file) =>
      numbersIn(read(file))
        .filter((number) => !explained.includes(number))
        .map((number) => `${file}: ${number}`),
    );
    expect(testFiles.length).toBeGreaterThan(200);
    expect(unexplained).toEqual([]);
  });

  it("are explained wherever a page carries one", () => {
    const pages = globSync(["*.md", "docs/**/*.md"], { cwd: root });
    const unexplained = pages.flatMap((file) =>
      numbersIn(read(file))
        .filter((number) => !explained.includes(number))
        .map((number) => `${file}: ${number}`),
    );
    expect(unexplained).toEqual([]);
  });
});
