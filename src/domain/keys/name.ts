const LONGEST_NAME = 100;

/** What a label of a key, or the name of an operator, must be. */
export const NAME_RULE = `must be 1 to ${LONGEST_NAME} characters, not blank, without control characters`;

/** Control characters would play tricks on the terminal that lists names; PostgreSQL keeps no lone surrogates. */
export function isName(text: string): boolean {
  if (text.trim() === "" || text.length > LONGEST_NAME || !text.isWellFormed()) return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is control characters that are looked for
  return !/[\u0000-\u001f\u007f-\u009f]/.test(text);
}
