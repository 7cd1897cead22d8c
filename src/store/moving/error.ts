/** Why nothing was exported or imported, in words that follow a colon. */
export class MoveError extends Error {
  override readonly name = 'MoveError';
}
