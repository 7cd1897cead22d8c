import { type Logger, pino, type SerializedError, stdSerializers } from 'pino';
import type { Secret } from './secret.ts';
import { visible } from './visible.ts';

export type LogOptions = {
  level: string;
  /** Every secret of the settings, to be struck out of errors whoever wrote them. */
  secrets: readonly Secret[];
  /** Where the lines go; standard output unless told otherwise. */
  destination?: pino.DestinationStream;
};

/** Names under which libraries put what nobody may read; a last net behind the type {@link Secret}. */
const SECRET_NAMES = [
  'password',
  'secret',
  'token',
  'authorization',
  'cookie',
  'clientSecret',
  'accessToken',
  'connectionString',
  'apiKey',
  'ticket',
];

/** Shorter ones stand in ordinary words, and would strike out half of every line. */
const SHORTEST_STRUCK = 6;

/**
 * The log: JSON lines. Of an error it holds type, message, code and stack and nothing else, for drivers hang requests,
 * rows and addresses onto theirs. What people and devices say has its invisible characters made visible.
 */
export function createLog({ level, secrets, destination = pino.destination(1) }: LogOptions): Logger {
  const strike = (text: string) =>
    secrets
      .map((secret) => secret.reveal())
      .filter((value) => value.length >= SHORTEST_STRUCK)
      .reduce(
        (struck, value) =>
          struck.replaceAll(value, '[secret]').replaceAll(encodeURIComponent(value), '[secret]'),
        text,
      );

  return pino(
    {
      level,
      redact: { paths: SECRET_NAMES.flatMap((name) => [name, `*.${name}`]), censor: '[secret]' },
      serializers: {
        err(error: Error) {
          const { type, message, stack, code }: SerializedError & { code?: unknown } =
            stdSerializers.err(error);
          return { type, message: strike(message), code, stack: strike(stack) };
        },
      },
      formatters: {
        log: (entry) =>
          Object.fromEntries(
            Object.entries(entry).map(([name, value]) => [
              name,
              typeof value === 'string' ? visible(value) : value,
            ]),
          ),
      },
    },
    destination,
  );
}
