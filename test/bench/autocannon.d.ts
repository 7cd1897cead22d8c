/** The parts of autocannon 9 that the bench uses, so that the types are checked without the bench's own packages. */
declare module 'autocannon' {
  type Request = { method?: string; headers?: Record<string, string>; body?: string };
  /** `connections`: requests in flight at once; `amount`: in all; `sampleInt`: milliseconds between two samples. */
  type Load = { url: string; connections: number; amount: number; sampleInt: number };
  type Setup = { requests: Array<{ setupRequest(request: Request): Request }> };
  /** `latency`: percentiles in milliseconds. */
  type Result = { latency: { p50: number; p99: number }; errors: number; timeouts: number; non2xx: number };

  export default function autocannon(options: Request & Load & Setup): Promise<Result>;
}
