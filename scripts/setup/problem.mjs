// What keeps a task from running and a person can change: one sentence that ends with the next
// step. It is printed as it is; anything else that is thrown is a fault of ours and keeps its stack.

/**
 * @param {string} sentence
 * @param {number} [exitCode]
 */
export function problem(sentence, exitCode = 1) {
  return Object.assign(new Error(sentence), { isProblem: true, exitCode });
}

/**
 * @param {unknown} error
 * @returns {error is Error & { isProblem: true, exitCode: number }}
 */
export function isProblem(error) {
  return error instanceof Error && "isProblem" in error;
}

/**
 * Progress of the set-up. It goes to stderr: stdout belongs to the task.
 * @param {string} line
 */
export function say(line) {
  process.stderr.write(`hawser: ${line}\n`);
}
