const ASK_EVERY_MS = 500;

const state = document.getElementById('state');
const empty = document.getElementById('empty');
const posts = document.getElementById('posts');
const template = document.getElementById('post');

let shown = 0;
await follow();

async function follow() {
  try {
    const all = await (await fetch('/posts')).json();
    for (const post of all.slice(shown)) show(post);
    shown = all.length;
    empty.hidden = shown > 0;
    showState('live');
    // Set only now: otherwise screen readers would read out every earlier post.
    posts.setAttribute('aria-live', 'polite');
  } catch {
    showState('reconnecting');
  }
  setTimeout(follow, ASK_EVERY_MS);
}

function show({ at, form, text }) {
  const item = template.content.cloneNode(true);
  item.querySelector('span').textContent = `${form} webhook`;
  const time = item.querySelector('time');
  time.dateTime = at;
  time.textContent = new Date(at).toLocaleTimeString();
  item.querySelector('pre').textContent = text;
  posts.prepend(item);
}

function showState(word) {
  if (state.className === word) return; // Screen readers read out each change.
  state.textContent = word;
  state.className = word;
}
