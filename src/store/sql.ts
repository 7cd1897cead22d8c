import type { PgBoss } from 'pg-boss';

/** Runs one statement and returns its rows. Throws what the database throws. */
export type Query = <Row>(sql: string, values?: readonly unknown[]) => Promise<Row[]>;

/** Selects waiting jobs, worded as in the engine's index; any other wording reads the whole table. */
export const WAITS = "state < 'active' and not blocked";

/** Asks the queues' engine. Throws what the engine throws, or StoreClosedError. */
export type Ask = <Result>(question: (boss: PgBoss) => Promise<Result>) => Promise<Result>;

/** The two ways to the database. */
export type Queryable = { query: Query; ask: Ask };
