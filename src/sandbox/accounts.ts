/** An account that the sandbox's NAC and exchanges accept. */
export type SandboxAccount = { username: string; password: string };

/** The bot's own account, and an account for a person who tries `connect`. */
export const SERVICE_ACCOUNT: SandboxAccount = { username: 'sandbox', password: 'sandbox' };
export const PERSONAL_ACCOUNT: SandboxAccount = { username: 'alex', password: 'alex' };
