import type { Queue } from '../../src/domain/jobs.ts';
import type { AlertParts } from '../alerts/incident-jobs.ts';
import type { ShownSettings, Turn } from '../dialog.ts';
import type { DeviceCommand } from '../lookup/device-lookups.ts';
import type { WatchParts } from '../watch/watches.ts';

/** The first words of all commands. */
export type CommandName =
  | DeviceCommand
  | ('watching' | 'recent' | 'status' | 'connect' | 'disconnect' | 'alerts' | 'autoreply' | 'help');

export type Command = {
  /** One line for the list of commands, without a full stop. */
  summary: string;
  /** Default: the command's name. */
  example?: string;
  /** Whether `help` lists the command for a person. Default: always. */
  isUseful?(turn: Turn, settings: ShownSettings): boolean;
  answer(turn: Turn, bot: Bot): Promise<void>;
};

/** The parts that commands use: those of lookups, alerts and watches, and a few of their own. */
export type Bot = AlertParts &
  WatchParts & {
    /** In the order of `help` and of the app's menu. */
    commands: Readonly<Record<CommandName, Command>>;
    /** Turns of pressed buttons that are in flight, by the press. */
    presses: Map<string, Promise<void>>;
    jobs: { reply: Pick<Queue<unknown>, 'count' | 'list' | 'revive' | 'settle'> };
  };
