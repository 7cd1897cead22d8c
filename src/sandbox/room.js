const POSTS_SHOWN = 200;
const REOPEN_AFTER_MS = 2000;
const NEAR_THE_END_PX = 80;
const ANNOUNCE_AFTER_MS = 300;

const SOURCES = { v2: 'v2 webhook', legacy: 'legacy webhook' };
/** A device's address where the bot puts it: alone on a line, or before a colon and a sentence. */
const ADDRESS = /^((?:[0-9A-F]{2}:){5}[0-9A-F]{2})(?=$|: )/im;

const posts = document.getElementById('posts');
const empty = document.getElementById('empty');
const older = document.getElementById('older');
const taken = document.getElementById('taken');
const refused = document.getElementById('refused');
const state = document.getElementById('state');
const news = document.getElementById('news');
const newest = document.getElementById('newest');
const dayTemplate = document.getElementById('day');
const postTemplate = document.getElementById('post');

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const calendar = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });
const { locale } = clock.resolvedOptions();

let lastId = 0;
let unread = 0;
let caughtUp = false;
let unannounced = [];

// A reload would otherwise put the reader back where the page stood, above what is new.
history.scrollRestoration = 'manual';
newest.addEventListener('click', scrollToNewest);
addEventListener('scroll', () => atNewest() && markRead(), { passive: true });
follow();

function follow() {
  const source = new EventSource('/events');
  source.addEventListener('open', () => showState('live'));
  source.addEventListener('message', (event) => show(JSON.parse(event.data)));
  source.addEventListener('counts', (event) => {
    caughtUp = true;
    showCounts(JSON.parse(event.data));
  });
  source.addEventListener('error', () => {
    showState('reconnecting');
    // The browser retries a lost connection by itself, but gives up for good on an answer that is no event stream.
    if (source.readyState === EventSource.CLOSED) setTimeout(follow, REOPEN_AFTER_MS);
  });
}

function show(post) {
  // A stream opened anew, without Last-Event-ID, starts from the first post again.
  if (post.id <= lastId) return;
  lastId = post.id;

  const following = atNewest();
  append(post);
  empty.hidden = true;
  if (caughtUp) announce(post);

  if (following) {
    scrollToNewest();
  } else {
    unread += 1;
    newest.textContent = unread === 1 ? '1 new post' : `${unread} new posts`;
    newest.hidden = false;
  }
}

function append(post) {
  listOf(calendar.format(new Date(post.at))).append(postItem(post));
  const items = posts.getElementsByClassName('post');
  while (items.length > POSTS_SHOWN) {
    const day = items[0].closest('.day');
    items[0].remove();
    if (day.querySelector('.post') === null) day.remove();
  }
  older.hidden = items.length < POSTS_SHOWN;
}

/** The list under that date's heading; a new one where the newest post is of another day. */
function listOf(date) {
  if (posts.lastElementChild?.querySelector('h2').textContent !== date) {
    const day = dayTemplate.content.cloneNode(true);
    const heading = day.querySelector('h2');
    heading.lang = locale;
    heading.textContent = date;
    posts.append(day);
  }
  return posts.lastElementChild.querySelector('ol');
}

function postItem({ at, form, text }) {
  const item = postTemplate.content.cloneNode(true);
  item.querySelector('.post').classList.toggle('fresh', caughtUp);
  const source = item.querySelector('.source');
  source.textContent = SOURCES[form];
  source.dataset.form = form;
  const time = item.querySelector('time');
  const date = new Date(at);
  time.dateTime = at;
  time.lang = locale;
  time.textContent = clock.format(date);
  time.title = moment.format(date);
  item.querySelector('.text').append(...text.split(ADDRESS).map(addressOrText));
  return item;
}

/** Splitting by a pattern with one group puts what it matched at the odd places. */
function addressOrText(part, index) {
  return index % 2 === 0 ? part : element('strong', part);
}

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

/** Has the post read out; of posts that come at once, only how many they are. */
function announce(post) {
  unannounced.push(post);
  if (unannounced.length === 1) setTimeout(readOut, ANNOUNCE_AFTER_MS);
}

function readOut() {
  const [{ at, form, text }] = unannounced;
  news.textContent =
    unannounced.length === 1
      ? `New post through the ${SOURCES[form]}, ${clock.format(new Date(at))}: ${text}`
      : `${unannounced.length} new posts`;
  unannounced = [];
}

function showCounts(counts) {
  taken.textContent = `${counts.taken} taken`;
  taken.classList.toggle('some', counts.taken > 0);

  const kinds = Object.entries(counts.refused);
  const sum = kinds.reduce((total, [, times]) => total + times, 0);
  const label = `${sum} refused (${kinds.map(([verdict, times]) => `${times} ${verdict}`).join(', ')})`;
  const shown = sum === 0 ? '0 refused' : label;
  // Written again unchanged, it would be read out again.
  if (refused.textContent === shown) return;
  refused.replaceChildren(
    ...shown.split(/(?<=refused |, )/).flatMap((piece) => [element('span', piece), element('wbr', '')]),
  );
  refused.classList.toggle('some', sum > 0);
}

function showState(word) {
  state.textContent = word;
  state.dataset.state = word;
}

function atNewest() {
  return scrollY + innerHeight >= document.documentElement.scrollHeight - NEAR_THE_END_PX;
}

function scrollToNewest() {
  scrollTo(0, document.documentElement.scrollHeight);
  markRead();
}

function markRead() {
  unread = 0;
  // The focus would be lost with the button that has it.
  if (document.activeElement === newest)
    posts.querySelector('.day:last-child .post:last-child').focus({ preventScroll: true });
  newest.hidden = true;
}
