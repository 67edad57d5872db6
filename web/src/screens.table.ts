/** The screens: `path` is the first part of the address, `key` follows `g` on the keyboard. */
export const screens = [
  { path: '', name: 'workspace', title: 'Workspace', icon: 'workspace', key: 'h', who: 'user' },
  { path: 'orders', name: 'orders', title: 'Orders', icon: 'list', key: 'o', who: 'user' },
  { path: 'ledger', name: 'ledger', title: 'Ledger', icon: 'scale', key: 'l', who: 'user' },
  { path: 'worlds', name: 'worlds', title: 'Worlds', icon: 'globe', key: 'w', who: 'operator' },
  { path: 'runs', name: 'runs', title: 'Runs', icon: 'runs', key: 'r', who: 'user' },
  { path: 'activity', name: 'activity', title: 'Activity', icon: 'pulse', key: 'a', who: 'user' },
  { path: 'tokenization', name: 'tokenization', title: 'Tokenization', icon: 'token', key: 't', who: 'user' },
  { path: 'keys', name: 'keys', title: 'Apps and keys', icon: 'key', key: 'k', who: 'user' },
  { path: 'first', name: 'first', title: 'First steps', icon: 'check', key: 'f', who: 'user' },
  { path: 'operator', name: 'operator', title: 'Operator', icon: 'sliders', key: 'p', who: 'operator' },
] as const

export type ScreenName = (typeof screens)[number]['name']

/** Links of an earlier version: `markets/AAPL` is the workspace with AAPL. */
export const SYMBOLS_PATH = 'markets'
