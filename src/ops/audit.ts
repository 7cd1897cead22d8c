import type { Logger } from 'pino';

/** A finished lookup of one device. `docs/operations.md` says what each field means; times are ISO 8601. */
export type AuditEntry = {
  number: number;
  by: 'message' | 'press' | 'fields' | 'menu' | 'alert';
  person: string | undefined;
  conversation: string | undefined;
  private: true | undefined;
  alert: string | undefined;
  asked: string;
  address: string;
  account: 'service' | 'own' | undefined;
  outcome: string;
  verdict: string;
  tokens: number;
  posted: 'yes' | 'no' | 'later' | 'nothing';
  askedAt: string | undefined;
  answeredAt: string | undefined;
};

export type Audit = (entry: AuditEntry) => void;

/** Writes the lines among those of the log, whatever the log's level. */
export function createAudit(log: Logger): Audit {
  const lines = log.child({}, { level: 'info' });
  return (entry) => lines.info(entry, 'audit');
}
