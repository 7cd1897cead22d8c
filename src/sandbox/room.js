const POSTS_SHOWN = 200;
const REOPEN_AFTER_MS = 2000;

const state = document.getElementById('state');
const empty = document.getElementById('empty');
const posts = document.getElementById('posts');
const template = document.getElementById('post');

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });
const { locale } = clock.resolvedOptions();

// A browser that restores the position after a reload hides the newest post.
history.scrollRestoration = 'manual';

let lastId = 0;
follow();

function follow() {
  const source = new EventSource('/events');
  source.addEventListener('message', (event) => show(JSON.parse(event.data)));
  source.addEventListener('live', () => {
    showState('live');
    empty.hidden = lastId > 0;
    // Set only now: otherwise screen readers would read out every earlier post.
    posts.setAttribute('aria-live', 'polite');
  });
  source.addEventListener('error', () => {
    showState('reconnecting');
    // The browser retries a lost connection, but never after a response that is no event stream.
    if (source.readyState === EventSource.CLOSED) setTimeout(follow, REOPEN_AFTER_MS);
  });
}

function show({ id, at, form, text }) {
  // A new EventSource sends no Last-Event-ID, so the room starts from its first post again.
  if (id <= lastId) return;
  lastId = id;

  const item = template.content.cloneNode(true);
  item.querySelector('span').textContent = `${form} webhook`;
  const time = item.querySelector('time');
  const date = new Date(at);
  time.dateTime = at;
  time.lang = locale;
  time.textContent = clock.format(date);
  time.title = moment.format(date);
  item.querySelector('pre').textContent = text;

  empty.hidden = true;
  posts.prepend(item);
  posts.children[POSTS_SHOWN]?.remove();
}

function showState(word) {
  state.textContent = word;
  state.className = word;
}
