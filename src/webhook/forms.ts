import type { WebhookForm } from '../domain/secret.ts';
import { legacy } from './legacy.ts';
import { v2 } from './v2.ts';
import type { WebhookAdapter } from './verdict.ts';

export const FORMS: Readonly<Record<WebhookForm, WebhookAdapter>> = { [v2.name]: v2, [legacy.name]: legacy };
