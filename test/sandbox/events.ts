import type { RoomPost } from '../../src/sandbox/room.ts';

export type SentEvent = { kind: 'post'; id: string; post: RoomPost } | { kind: 'live' };

/** A room's event stream, read in order. */
export type RoomEvents = {
  type: string | null;
  /** The next event; undefined at the end of the stream. */
  next(): Promise<SentEvent | undefined>;
  /** The next `wanted` posts; fewer if the stream ends first. Skips other events. */
  posts(wanted: number): Promise<SentEvent[]>;
  stop(): Promise<unknown>;
};

/** Follows the room's `/events` for at most four seconds. */
export async function followEvents(address: string, lastEventId?: string): Promise<RoomEvents> {
  const response = await fetch(`${address}/events`, {
    headers: lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId },
    signal: AbortSignal.timeout(4000),
  });
  if (response.body === null) throw new Error('the event stream has no body');
  const events = sentEvents(response.body);
  const next = async () => (await events.next()).value;

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
      if (event === undefined) yield { kind: 'post', id: id ?? '', post: JSON.parse(data) as RoomPost };
      else if (event === 'live' && id === undefined) yield { kind: 'live' };
      else throw new Error(`unexpected event "${event}", id ${id}`);
    }
  }
  return undefined;
}

function fieldsOf(block: string): { event?: string; id?: string; data?: string } {
  return Object.fromEntries(
    block.split('\n').map((line) => /^(\w+): (.*)$/s.exec(line)?.slice(1) ?? [line, '']),
  );
}
