import { Secret } from '../../src/domain/secret.ts';
import type { WebhookForm } from '../../src/domain/webhook-address.ts';
import type { UpstreamOptions } from '../../src/http.ts';
import { createSender, type PostToRoom } from '../../src/webhook/sender.ts';
import { openUpstream } from '../serve.ts';

type Room = { form?: WebhookForm; token?: string };

/** A sender to the room behind this base address, over an upstream of its own. */
export function senderTo(
  base: string,
  { form = 'v2', token = 'room-token' }: Room = {},
  options: Partial<UpstreamOptions> = {},
): PostToRoom {
  const address = { base: new URL(base), form, token: new Secret(token) };
  return createSender({ upstream: openUpstream(options), address: () => address });
}
