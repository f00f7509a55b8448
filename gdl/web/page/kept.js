// What this browser keeps of matches: the secrets of its seats, and whose turn it was last.

const PREFIX = "gdl.match.";
const MOST = 200; // of more matches, those that were kept first are forgotten

export function keep(match, value) {
  try {
    localStorage.setItem(PREFIX + match, JSON.stringify({ at: Date.now(), ...value }));
    for (const { match: old } of mine().slice(MOST)) localStorage.removeItem(PREFIX + old);
  } catch {
    // without storage a match cannot be taken up again after a reload
  }
}

export function kept(match) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + match)) ?? {};
  } catch {
    return {};
  }
}

// The matches in which this browser has a seat, the newest first.
export function mine() {
  let names = [];
  try {
    names = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
  } catch {
    return [];
  }
  return names
    .map((key) => ({ match: key.slice(PREFIX.length), ...kept(key.slice(PREFIX.length)) }))
    .filter(({ secrets }) => secrets && Object.values(secrets).some(Boolean))
    .sort((a, b) => (b.at ?? 0) - (a.at ?? 0));
}

export function remember(name, value) {
  try {
    localStorage.setItem(`gdl.${name}`, value);
  } catch {
    // it is forgotten then
  }
}

export function recalled(name) {
  try {
    return localStorage.getItem(`gdl.${name}`) ?? "";
  } catch {
    return "";
  }
}
