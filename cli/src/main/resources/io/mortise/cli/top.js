'use strict';
// Shows what the server sends once a second. Everything from the store is set as text, never as HTML.
const MOST = 500;
const body = document.getElementById('locks');
const state = document.getElementById('state');
const more = document.getElementById('more');
const search = document.getElementById('search');
const open = new Set();
let locks = [];
let full = false;

function add(parent, tag, text, className) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  parent.append(element);
  return element;
}

function visible(text) {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    each => '\\u' + each.codePointAt(0).toString(16).padStart(4, '0'));
}

function time(millis) {
  const s = Math.floor(millis / 1000);
  if (s < 1) return Math.max(0, millis) + ' ms';
  if (s < 60) return s + ' s';
  if (s < 3600) return Math.floor(s / 60) + ' m ' + s % 60 + ' s';
  if (s < 86400) return Math.floor(s / 3600) + ' h ' + Math.floor(s / 60) % 60 + ' m';
  return Math.floor(s / 86400) + ' d ' + Math.floor(s / 3600) % 24 + ' h';
}

function place(party) {
  const thread = party.threadId === null ? '' : ', thread ' + party.threadId;
  return visible(party.host === null ? party.clientId : party.host + ', process ' + party.pid) + thread;
}

function fits(lock, wanted) {
  return !wanted || JSON.stringify([lock.name, lock.holders, lock.waiters]).toLowerCase().includes(wanted);
}

function row(lock) {
  const key = lock.kind + ' ' + lock.name;
  const tr = add(body, 'tr');
  const name = add(add(tr, 'td'), 'button', visible(lock.name));
  name.setAttribute('aria-expanded', open.has(key));
  name.dataset.key = key;
  add(tr, 'td', lock.kind);
  const others = lock.holders.length > 1 ? ' and ' + (lock.holders.length - 1) + ' more' : '';
  add(tr, 'td', place(lock.holders[0]) + others);
  add(tr, 'td', (lock.heldWhole ? '' : '> ') + time(lock.heldMillis));
  const lease = add(add(tr, 'td'), 'div', undefined, 'lease');
  const bar = add(lease, 'div', undefined, lock.leaseShare < 0.34 ? 'bar low' : 'bar');
  add(bar, 'div').style.width = Math.min(100, lock.leaseShare * 100) + '%';
  add(lease, 'span', time(lock.leaseLeftMillis));
  add(tr, 'td', lock.waiters.length, lock.waiters.length ? 'waited' : '');
  if (open.has(key)) detail(lock);
}

function detail(lock) {
  const cell = add(add(body, 'tr', undefined, 'detail'), 'td');
  cell.colSpan = 6;
  for (const each of lock.holders) {
    const line = add(cell, 'div', 'held by ' + place(each) + ', lease left ' + time(each.leaseLeftMillis) + ' ');
    add(line, 'code', visible(each.id));
  }
  if (!lock.waiters.length) {
    add(cell, 'div', 'nobody waits');
    return;
  }
  add(cell, 'div', 'waiting, first comes first:');
  const list = add(cell, 'ol');
  for (const each of lock.waiters) add(list, 'li', place(each) + ', for ' + time(each.waitedMillis));
}

function draw() {
  const focused = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.key : undefined;
  const wanted = search.value.trim().toLowerCase();
  const shown = locks.filter(each => fits(each, wanted));
  body.replaceChildren();
  shown.slice(0, MOST).forEach(row);
  if (focused) {
    const again = [...body.querySelectorAll('button')].find(each => each.dataset.key === focused);
    if (again) again.focus();
  }
  more.textContent = shown.length > MOST ? 'and ' + (shown.length - MOST) + ' more; search for a name' : '';
}

body.addEventListener('click', event => {
  const key = event.target.dataset.key;
  if (key === undefined) return;
  if (!open.delete(key)) open.add(key);
  draw();
});
search.addEventListener('input', draw);

const events = new EventSource('events');
events.onmessage = event => {
  const told = JSON.parse(event.data);
  if (told.error) {
    state.textContent = 'old: ' + told.error;
    state.className = 'old';
    return;
  }
  locks = told.locks;
  full = told.full;
  const waiting = locks.reduce((sum, each) => sum + each.waiters.length, 0);
  state.textContent = locks.length + (full ? ' or more' : '') + ' held, ' + waiting + ' waiting';
  state.className = '';
  draw();
};
events.onerror = () => {
  state.textContent = 'old: no connection to mortise top';
  state.className = 'old';
};
