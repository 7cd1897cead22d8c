import { inspect } from 'node:util';

/** A value that must never be seen: it prints as `[secret]`, to a log, an error, JSON or a template alike. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself; only the code that puts it on the wire asks for it. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}
