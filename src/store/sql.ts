/** Runs one statement and gives its rows. Throws what the database throws. */
export type Query = <Row>(sql: string, values?: readonly unknown[]) => Promise<Row[]>;

/** In the words of the engine's index of what waits; another condition reads the whole table. */
export const WAITS = "state < 'active' and not blocked";
