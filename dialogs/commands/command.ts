import type { Queue } from '../../src/domain/jobs.ts';
import type { AlertParts, IncidentData } from '../alerts/accept-alert.ts';
import type { ShownSettings, Turn } from '../dialog.ts';
import type { LookupJob } from '../lookup/lookup-jobs.ts';
import type { WatchParts } from '../watch/watches.ts';

/** A command that a person can type. */
export type Command = {
  /** The command's first word, lower case. */
  name: string;
  /** One line for the list of commands, without a full stop. */
  summary: string;
  examples: readonly string[];
  /** Shown by `help NAME` below the examples, one sentence a line. */
  details: readonly string[];
  /** Whether `help` lists the command for a person. Default: always. */
  isUseful?(turn: Turn, settings: ShownSettings): boolean;
  answer(turn: Turn, bot: Bot): Promise<void>;
};

/** The parts that commands use: those of lookups, alerts and watches, and what only commands need. */
type DialogParts = AlertParts & WatchParts;
export type Bot = DialogParts & {
  /** All commands, in the order of `help` and of the app's menu. */
  commands: readonly Command[];
  presses: Presses;
  jobs: UntakenJobs;
};

/** Turns of pressed buttons that are in flight, by the press. */
type Presses = Map<string, Promise<void>>;

type Counted<Data> = Pick<Queue<Data>, 'count' | 'list' | 'revive' | 'settle'>;

/** The queues whose jobs `status` counts. A reply's form belongs to the chat side. */
type UntakenJobs = {
  lookup: Counted<LookupJob>;
  alert: Counted<IncidentData>;
  post: Counted<{ text: string }>;
  reply: Counted<unknown>;
};
