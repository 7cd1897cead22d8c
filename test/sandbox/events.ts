import type { RoomPost, VerdictCounts } from '../../src/sandbox/room.ts';

export type SentEvent =
  | { kind: 'post'; id: string; post: RoomPost }
  | { kind: 'counts'; counts: VerdictCounts };

/** A room's event stream, read in order. What is of another kind than asked for is passed over. */
export type RoomEvents = {
  type: string | null;
  /** The next event, of any kind; undefined at the end of the stream. */
  next(): Promise<SentEvent | undefined>;
  /** The next so many posts, and no more; fewer where the stream ends before. */
  posts(wanted: number): Promise<SentEvent[]>;
  /** The next counts; undefined where the stream ends before. */
  counts(): Promise<VerdictCounts | undefined>;
  stop(): Promise<unknown>;
};

/** Follows `/events` of the room at the address, for four seconds at most. */
export async function followEvents(address: string, lastEventId?: string): Promise<RoomEvents> {
  const response = await fetch(`${address}/events`, {
    headers: lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId },
    signal: AbortSignal.timeout(4000),
  });
  if (response.body === null) throw new Error('the event stream has no body');
  const events = sentEvents(response.body);

  async function next(): Promise<SentEvent | undefined> {
    return (await events.next()).value;
  }

  return {
    type: response.headers.get('content-type'),
    next,
    async posts(wanted) {
      const taken: SentEvent[] = [];
      while (taken.length < wanted) {
        const event = await next();
        if (event === undefined) break;
        if (event.kind === 'post') taken.push(event);
      }
      return taken;
    },
    async counts() {
      let event = await next();
      while (event?.kind === 'post') event = await next();
      return event?.counts;
    },
    stop: () => events.return(undefined),
  };
}

async function* sentEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<SentEvent, undefined> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const { event, id, data } = fieldsOf(block);
      if (data === undefined) continue;
      yield event === undefined
        ? { kind: 'post', id: id ?? '', post: JSON.parse(data) as RoomPost }
        : countsOf(event, id, data);
    }
  }
  return undefined;
}

function countsOf(event: string, id: string | undefined, data: string): SentEvent {
  if (event !== 'counts' || id !== undefined) throw new Error(`unexpected event "${event}", id ${id}`);
  return { kind: 'counts', counts: JSON.parse(data) as VerdictCounts };
}

function fieldsOf(block: string): { event?: string; id?: string; data?: string } {
  return Object.fromEntries(
    block.split('\n').map((line) => /^(\w+): (.*)$/s.exec(line)?.slice(1) ?? [line, '']),
  );
}
