// Arithmetic without `eval`: + - * / % ^, parentheses, decimals, and the words that people use for them.
// The expression is read once from left to right; its length and nesting are bounded.

export type Calculation = { readonly ok: true; readonly value: number } | { readonly ok: false; readonly problem: string };

const maxExpressionChars = 1_000;
const maxNesting = 100;

/** What each sign is called besides itself. */
const spellings: Readonly<Record<string, readonly string[]>> = {
  "+": ["plus"],
  "-": ["minus", "−"],
  "*": ["times", "multiplied by", "x", "×", "·"],
  "/": ["divided by", "over", "÷"],
  "%": ["mod", "modulo"],
  "^": ["to the power of", "**"],
  "(": [],
  ")": [],
};

const tokenPattern = /\s*(?:(\d+(?:\.\d+)?|\.\d+)|(divided by|multiplied by|to the power of|[a-z]+)|(\*\*|[-+*/%^()×·÷−]))/iy;

type Token = number | string;

/** The tokens, or undefined when it holds anything that isn't arithmetic, or nothing to calculate. */
function readTokens(text: string): readonly Token[] | undefined {
  if (text.length > maxExpressionChars) return undefined;
  const source = text.replace(/[=?\s]+$/, "");
  const tokens: Token[] = [];
  tokenPattern.lastIndex = 0;
  while (tokenPattern.lastIndex < source.length) {
    const found = tokenPattern.exec(source);
    if (!found) return undefined;
    const [, number, word, sign] = found;
    if (number !== undefined) tokens.push(Number(number));
    else if (!addOperator(tokens, (word ?? sign ?? "").toLowerCase())) return undefined;
  }
  const hasNumber = tokens.some((token) => typeof token === "number");
  return hasNumber && tokens.some((token) => typeof token === "string") ? tokens : undefined;
}

function addOperator(tokens: Token[], written: string): boolean {
  const [operator] = Object.entries(spellings).find(([sign, names]) => sign === written || names.includes(written)) ?? [];
  if (written === "squared") tokens.push("^", 2);
  else if (operator === undefined) return false;
  else tokens.push(operator);
  return true;
}

export const isArithmetic = (text: string): boolean => readTokens(text) !== undefined;

/** The value of an expression for which `isArithmetic` holds. */
export function calculate(text: string): Calculation {
  const tokens = readTokens(text) ?? [];
  let at = 0;
  let nesting = 0;
  let problem: string | undefined;

  function fail(what: string): number {
    problem ??= what;
    at = tokens.length;
    return Number.NaN;
  }

  function readSum(): number {
    let value = readProduct();
    while (tokens[at] === "+" || tokens[at] === "-") value = tokens[at++] === "+" ? value + readProduct() : value - readProduct();
    return value;
  }

  function readProduct(): number {
    let value = readSigned();
    while (tokens[at] === "*" || tokens[at] === "/" || tokens[at] === "%") {
      const operator = tokens[at++];
      const right = readSigned();
      if (operator !== "*" && right === 0) return fail("nothing can be divided by zero");
      value = operator === "*" ? value * right : operator === "/" ? value / right : value % right;
    }
    return value;
  }

  // A sign binds less than a power: -2^2 is -4.
  function readSigned(): number {
    let isNegative = false;
    for (; tokens[at] === "-" || tokens[at] === "+"; at++) isNegative = isNegative !== (tokens[at] === "-");
    const value = readPower();
    return isNegative ? -value : value;
  }

  function readPower(): number {
    const base = readOperand();
    if (tokens[at] !== "^") return base;
    at += 1;
    return base ** nested(readSigned);
  }

  function readOperand(): number {
    const token = tokens[at++];
    if (typeof token === "number") return token;
    if (token === undefined) return fail("it ends too early");
    if (token !== "(") return fail(`a number is missing before \`${token}\``);
    const value = nested(readSum);
    return tokens[at++] === ")" || problem !== undefined ? value : fail("a parenthesis is not closed");
  }

  function nested(read: () => number): number {
    if (++nesting > maxNesting) return fail(`it is nested more than ${maxNesting} times`);
    const value = read();
    nesting -= 1;
    return value;
  }

  const value = readSum();
  if (problem === undefined && at < tokens.length) fail(`\`${tokens[at]}\` is not expected there`);
  if (problem === undefined && !Number.isFinite(value)) fail("the result is not a number that I can hold");
  return problem === undefined ? { ok: true, value } : { ok: false, problem };
}

/** As people write it: without the noise of binary fractions. */
export function formatNumber(value: number): string {
  const rounded = Number(value.toPrecision(15));
  return Number.isSafeInteger(value) ? String(value) : `${Math.abs(value) > Number.MAX_SAFE_INTEGER ? "about " : ""}${rounded}`;
}
