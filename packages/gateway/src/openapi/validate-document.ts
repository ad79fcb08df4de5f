// Whether a document follows its specification, for people who write one. Nothing else needs this.

import { cutText, HawserError, protocolLimits } from "@hawser/protocol/internal";
import { parseText } from "./parse-document.ts";

export interface DocumentValidation {
  readonly valid: boolean;
  readonly specification?: string | undefined;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

const maxListed = 100;

/** Remote references are not followed. Throws `usage` if the text is not a JSON or YAML object. */
export async function validateDocument(text: string, name = "document"): Promise<DocumentValidation> {
  const document = await parseText(text, name);
  if (/^3\.2(\.|$)/.test(String(document.openapi)))
    throw new HawserError(
      "usage",
      `${name} is an OpenAPI 3.2 document: it can be used, but only versions up to 3.1 can be validated so far`,
    );
  const { validate } = await import("@readme/openapi-parser");
  try {
    const result = await validate(document as never, { resolve: { external: false }, dereference: { circular: "ignore" } });
    const errors = result.valid ? [] : messagesOf(result.errors);
    return { valid: result.valid, specification: result.specification ?? undefined, errors, warnings: messagesOf(result.warnings) };
  } catch (error) {
    // Thrown for what it does not take for a document at all, and for references that lead nowhere.
    const message = error instanceof Error ? error.message : "it can't be examined";
    if (HawserError.isInstance(error)) throw error;
    return { valid: false, errors: [cutText(message, protocolLimits.maxErrorTextChars)], warnings: [] };
  }
}

function messagesOf(details: readonly { readonly message: string }[]): string[] {
  return details.slice(0, maxListed).map(({ message }) => cutText(message, protocolLimits.maxErrorTextChars));
}
