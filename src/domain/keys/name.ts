const MAX_NAME_LENGTH = 100;

/** The rule for the name of a key or an operator. */
export const NAME_RULE = `must be 1 to ${MAX_NAME_LENGTH} characters, not blank, without control characters`;

/** Control characters could control the terminal that lists names. PostgreSQL cannot store lone surrogates. */
export function isName(text: string): boolean {
  if (text.trim() === "" || text.length > MAX_NAME_LENGTH || !text.isWellFormed()) return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the rule is about control characters
  return !/[\u0000-\u001f\u007f-\u009f]/.test(text);
}
