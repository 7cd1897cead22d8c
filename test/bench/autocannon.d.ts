/** The parts of autocannon 9 that the bench uses, so that the types are checked without the bench's own packages. */
declare module 'autocannon' {
  export interface Request {
    method?: string;
    headers?: Record<string, string>;
    body?: string;
  }
  export interface Options extends Request {
    url: string;
    /** How many requests are in flight at once. */
    connections: number;
    /** How many requests are sent in all. */
    amount: number;
    /** Milliseconds between two samples. */
    sampleInt: number;
    requests: Array<{ setupRequest(request: Request): Request }>;
  }
  export interface Result {
    /** Percentiles in milliseconds. */
    latency: { p50: number; p99: number };
    errors: number;
    timeouts: number;
    non2xx: number;
  }

  export default function autocannon(options: Options): Promise<Result>;
}
