import { type KeyGroup, type KeyText, keysOf, type keyTable } from './keys.table.ts'
import { isAuditor } from './session/session.ts'

type Run = (event: KeyboardEvent) => void
type KeyAction = KeyText & { readonly group: KeyGroup; readonly run: Run }

/** What each key of a group does when it is pressed. */
type Runs<Group extends KeyGroup> = Readonly<Partial<Record<(typeof keyTable)[Group][number]['key'], Run>>>

const actions: KeyAction[] = []

/** Single keys can be turned off, for people who use speech input. */
const SETTING = 'quipu-single-keys'
export const areSingleKeysOn = (): boolean => localStorage.getItem(SETTING) !== 'off'
export const setSingleKeys = (isOn: boolean): void => localStorage.setItem(SETTING, isOn ? 'on' : 'off')

/** All keys that work now, for the list of keys. The newest action of a key wins. */
export const currentKeys = (): readonly KeyAction[] =>
  actions.filter(({ key }, index) => actions.findLastIndex((one) => one.key === key) === index)

/**
 * Adds keys of a group. Returns a function that removes them. `g h` means g, then h. Components call it in a layout
 * effect, so that the keys of a screen work as soon as it is visible.
 */
export function addKeys<Group extends KeyGroup>(group: Group, runs: Runs<Group>): () => void {
  const wanted = new Map<string, Run>(Object.entries(runs))
  const added = keysOf(group, !isAuditor.peek(), true).flatMap((text): KeyAction[] => {
    const run = wanted.get(text.key)
    return run ? [{ ...text, group, run }] : []
  })
  actions.push(...added)
  return () => {
    for (const one of added) actions.splice(actions.indexOf(one), 1)
  }
}

const PREFIX_MS = 1500
let prefix = ''
let prefixAtMs = 0

export function listenToKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || isTyping(event) || event.altKey) return
    const name = nameOf(event)
    if (name.length === 1 && !areSingleKeysOn()) return
    const isSecond = prefix !== '' && Date.now() - prefixAtMs < PREFIX_MS
    const full = isSecond ? `${prefix} ${name}` : name
    prefix = ''
    // A letter with Shift is its own key if something wants it, otherwise the letter.
    const shifted = event.shiftKey && /^[a-z]$/.test(full) ? `Shift+${full}` : full
    const action =
      actions.findLast(({ key }) => key === shifted) ?? actions.findLast(({ key }) => key === full)
    if (action) {
      event.preventDefault()
      action.run(event)
    } else if (actions.some(({ key }) => key.startsWith(`${full} `))) {
      prefix = full
      prefixAtMs = Date.now()
    }
  })
}

const nameOf = ({ key, ctrlKey, metaKey }: KeyboardEvent): string => {
  const name = key === ' ' ? 'Space' : key.length === 1 ? key.toLowerCase() : key
  return ctrlKey || metaKey ? `Ctrl+${name}` : name
}

/** Fields that take no text. */
const PRESSED = '[type="checkbox"], [type="file"]'

/** Keys are off while the viewer types, or uses a control that needs them. */
function isTyping({ target, key, ctrlKey, metaKey }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement) || ((ctrlKey || metaKey) && key === 'k')) return false
  if (target.closest('dialog')) return true
  if (key === 'Escape') return false
  if (target.matches(`input:not(${PRESSED}), textarea, select, [contenteditable]`)) return true
  return (key === ' ' || key === 'Enter') && target.matches(`${PRESSED}, button, a, summary, [role="slider"]`)
}
