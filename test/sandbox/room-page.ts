import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { type Listening, listen } from '../../src/sandbox/listen.ts';
import type { Room } from '../../src/sandbox/room.ts';
import { createWebhook } from '../../src/sandbox/webhook.ts';
import { chromiumArgs } from '../chromium.ts';

type Heard = Window & { heard?: Record<string, string[]> };

/** @param executablePath as `chromiumOrSkip` gives it */
export function launchChromium(executablePath: string | undefined): Promise<Browser> {
  return chromium.launch({
    ...(executablePath !== undefined && { executablePath }),
    args: chromiumArgs,
    headless: true,
  });
}

/** The sandbox's webhook with its room, and a tab of a real browser to look at the room with. */
export class RoomPage {
  readonly page: Page;
  /** What the page wrote to its console, and what it threw. */
  readonly complaints: string[] = [];
  #room: Room;
  #webhookAt: Listening;

  static async create(browser: Browser, options: BrowserContextOptions = {}): Promise<RoomPage> {
    const page = await browser.newPage({ viewport: { width: 1000, height: 700 }, ...options });
    const { server, room } = createWebhook();
    return new RoomPage(page, room, await listen(server));
  }

  private constructor(page: Page, room: Room, webhookAt: Listening) {
    this.page = page;
    this.#room = room;
    this.#webhookAt = webhookAt;
    page.setDefaultTimeout(10_000);
    page.on('console', (message) => this.complaints.push(message.text()));
    page.on('pageerror', (error) => this.complaints.push(error.message));
  }

  get room(): Room {
    return this.#room;
  }

  /** Opens the page, and waits until it is live. */
  async open(): Promise<void> {
    await this.page.addInitScript(() => {
      const heard: Record<string, string[]> = {};
      (window as Heard).heard = heard;
      new MutationObserver((changes) => {
        for (const region of new Set(changes.map(({ target }) => target))) {
          if (!(region instanceof Element && region.role === 'status')) continue;
          heard[region.id] = [...(heard[region.id] ?? []), region.textContent];
        }
      }).observe(document, { childList: true, subtree: true });
    });
    await this.page.goto(this.#webhookAt.url);
    await this.inState('live');
  }

  async stopWebhook(): Promise<void> {
    await this.#webhookAt.close();
  }

  /** A new webhook, with an empty room, at the place of the one that was stopped. */
  async startWebhook(): Promise<void> {
    const { server, room } = createWebhook();
    this.#room = room;
    this.#webhookAt = await listen(server, Number(new URL(this.#webhookAt.url).port));
  }

  /** Posts to the webhook. @param path the address after `/webhook/`: a token, in the v2 form after `v2/` */
  call(path: string, text = 'text'): Promise<Response> {
    return fetch(`${this.#webhookAt.url}/webhook/${path}`, {
      method: 'POST',
      body: JSON.stringify({ text }),
    });
  }

  async shown(posts: number): Promise<void> {
    await this.page
      .locator('.post')
      .nth(posts - 1)
      .waitFor();
  }

  async inState(word: string): Promise<void> {
    await this.page.locator(`#state:text-is("${word}")`).waitFor();
  }

  /** Waits until the counter reads so. */
  async counted(words: string): Promise<void> {
    await this.page.getByText(`Webhook: ${words}`, { exact: true }).waitFor();
  }

  texts(): Promise<string[]> {
    return this.page.locator('.post .text').allTextContents();
  }

  /** Every text that this live region has had since the page was opened, however short. */
  heard(id: 'state' | 'refused' | 'news'): Promise<string[]> {
    return this.page.evaluate((region) => (window as Heard).heard?.[region] ?? [], id);
  }

  async close(): Promise<void> {
    await this.page.close();
    await this.#webhookAt.close();
  }
}
