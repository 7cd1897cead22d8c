const POSTS_SHOWN = 200;
const REOPEN_AFTER_MS = 2000;
const NEAR_THE_END_PX = 80;

const list = document.getElementById('posts');
const empty = document.getElementById('empty');
const count = document.getElementById('count');
const state = document.getElementById('state');
const newest = document.getElementById('newest');
const template = document.getElementById('post');

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const calendar = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });

let lastId = 0;
let unread = 0;

// A reload would otherwise put the reader back where the page stood, above what is new.
history.scrollRestoration = 'manual';
newest.addEventListener('click', scrollToNewest);
addEventListener('scroll', () => atNewest() && markRead(), { passive: true });
follow();

function follow() {
  const source = new EventSource('/events');
  source.addEventListener('open', () => showState('live'));
  source.addEventListener('message', (event) => show(JSON.parse(event.data)));
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
  list.append(postItem(post));
  while (list.children.length > POSTS_SHOWN) list.firstElementChild.remove();
  empty.hidden = true;
  count.textContent = countLabel(list.children.length);

  if (following) {
    scrollToNewest();
  } else {
    unread += 1;
    newest.textContent = unread === 1 ? '1 new post ↓' : `${unread} new posts ↓`;
    newest.hidden = false;
  }
}

function postItem({ at, form, text }) {
  const item = template.content.cloneNode(true);
  const label = item.querySelector('.form');
  label.textContent = form;
  label.dataset.form = form;
  const time = item.querySelector('time');
  const date = new Date(at);
  time.dateTime = at;
  time.textContent = clock.format(date);
  time.title = calendar.format(date);
  item.querySelector('.text').textContent = text;
  return item;
}

function countLabel(shown) {
  if (shown === POSTS_SHOWN) return `last ${shown} posts`;
  return shown === 1 ? '1 post' : `${shown} posts`;
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
  newest.hidden = true;
}
