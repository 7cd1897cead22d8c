/** Runs one statement and returns its rows. Throws what the database throws. */
export type Query = <Row>(sql: string, values?: readonly unknown[]) => Promise<Row[]>;

/** Selects waiting jobs, worded as in the engine's index; any other wording reads the whole table. */
export const WAITS = "state < 'active' and not blocked";
