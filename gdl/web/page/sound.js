// A short knock for each move that is made, unless a person has turned it off.

const KEY = "gdl.sound";
let context = null;

export function isOn() {
  try {
    return localStorage.getItem(KEY) !== "off";
  } catch {
    return true;
  }
}

export function turn(on) {
  try {
    localStorage.setItem(KEY, on ? "on" : "off");
  } catch {
    // it is forgotten then
  }
}

// Browsers allow sound once somebody has touched the page; before that there is none.
export function knock(pitch = 220) {
  if (!isOn() || !navigator.userActivation?.hasBeenActive) return;
  context ??= new AudioContext();
  const [tone, volume, now] = [context.createOscillator(), context.createGain(), context.currentTime];
  tone.type = "triangle";
  tone.frequency.setValueAtTime(pitch, now);
  tone.frequency.exponentialRampToValueAtTime(pitch / 2, now + 0.08);
  volume.gain.setValueAtTime(0.25, now);
  volume.gain.exponentialRampToValueAtTime(0.001, now + 0.09);
  tone.connect(volume).connect(context.destination);
  tone.start(now);
  tone.stop(now + 0.1);
}
