import { screens } from './screens.table.ts'

/** Every key of the dashboard, by the screen or the part that it belongs to. */
export const keyTable = {
  Workspace: [
    { key: '1', does: 'Show positions' },
    { key: '2', does: 'Show open orders' },
    { key: '3', does: 'Show fills' },
    { key: '4', does: 'Show activity' },
    { key: 'Shift+x', does: 'Cancel the selected orders, or close the selected positions', changes: true },
    { key: 'e', does: 'Show the equity curve' },
    { key: '[', does: 'Shorter bars' },
    { key: ']', does: 'Longer bars' },
    { key: 'i', does: 'Choose indicators (hold Alt to hide them)' },
  ],
  Ticket: [
    { key: 'b', does: 'Buy', changes: true },
    { key: 's', does: 'Sell', changes: true },
    { key: 'Escape', does: 'Clear the ticket' },
  ],
  Time: [
    { key: 'Space', does: 'Play or pause the clock' },
    { key: 'z', does: 'Rewind one minute', changes: true },
    { key: 'Enter', does: 'Rewind to the chosen time', changes: true },
    { key: 'Escape', does: 'Put the clock back, or close the note' },
    { key: 'u', does: 'Return to the world before' },
    { key: '.', does: 'Advance one minute' },
    { key: ',', does: 'Advance to the next bar' },
    { key: 'n', does: 'Advance to the next event' },
    { key: 'o', does: 'Advance to the next open' },
    { key: 'c', does: 'Advance to the close' },
    { key: 'f', does: 'Fork the world from here' },
  ],
  Everywhere: [
    { key: '/', does: 'Search or run a command' },
    { key: 'Ctrl+k', does: 'Search or run a command' },
    { key: '?', does: 'Show all keys' },
    { key: 't', does: 'Change between light and dark' },
    { key: 'w', does: 'Why here: the story of the row, or of the fill at the crosshair' },
    { key: '\\', does: 'Narrow or wide navigation' },
  ],
  'Go to': [
    { key: 'g d', does: 'Go to Docs' },
    ...screens.map(({ key, title, who }) => ({ key: `g ${key}`, does: `Go to ${title}`, who })),
  ],
  Orders: [
    { key: 'j', does: 'Next order' },
    { key: 'k', does: 'Previous order' },
    { key: 'x', does: 'Cancel the order', changes: true },
    { key: 'Shift+x', does: 'Cancel the selected orders', changes: true },
  ],
  Ledger: [
    { key: 'j', does: 'Next posting' },
    { key: 'k', does: 'Previous posting' },
    { key: 'Escape', does: 'Close the posting' },
  ],
  Worlds: [
    { key: 'f', does: 'Fork the world from here', changes: true },
    { key: 'a', does: 'Create a world', changes: true },
    { key: 'r', does: 'Name this world', changes: true },
    { key: 'e', does: 'Write a note on this world', changes: true },
    { key: 'j', does: 'Next world' },
    { key: 'k', does: 'Previous world' },
  ],
  Runs: [
    { key: 'ArrowLeft', does: 'Previous request of the run' },
    { key: 'ArrowRight', does: 'Next request of the run' },
    { key: 'n', does: 'Next fault of the run' },
    { key: 'Space', does: 'Play the run' },
  ],
  Activity: [
    { key: 'j', does: 'Next request' },
    { key: 'k', does: 'Previous request' },
    { key: 'p', does: 'Pause or go on' },
    { key: 'Escape', does: 'Close the request' },
  ],
  Tokenization: [
    { key: 'm', does: 'Mint tokens', changes: true },
    { key: 'j', does: 'Next request' },
    { key: 'k', does: 'Previous request' },
    { key: 'Escape', does: 'Close the request' },
  ],
  'Apps and keys': [
    { key: 'a', does: 'New key', changes: true },
    { key: 'j', does: 'Next row' },
    { key: 'k', does: 'Previous row' },
    { key: 'x', does: 'Revoke, withdraw or disable the row' },
  ],
  Operator: [
    { key: 'r', does: 'Run the audit' },
    { key: 'j', does: 'Next row' },
    { key: 'k', does: 'Previous row' },
  ],
} as const satisfies Readonly<Record<string, readonly KeyText[]>>

/** What a key does. `changes`: it changes something, so an auditor does not have it. `who` may use it, if not all. */
export type KeyText = {
  readonly key: string
  readonly does: string
  readonly changes?: boolean
  readonly who?: (typeof screens)[number]['who']
}

export type KeyGroup = keyof typeof keyTable
export const keyGroups = Object.keys(keyTable) as readonly KeyGroup[]

/** The texts of a group, without the keys that the viewer may not use. */
export const keysOf = (group: KeyGroup, mayChange: boolean, isOperator: boolean): readonly KeyText[] =>
  (keyTable[group] as readonly KeyText[]).filter(
    ({ changes, who }) => (mayChange || !changes) && (isOperator || who !== 'operator'),
  )
