import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { areSingleKeysOn, currentKeys, setSingleKeys } from '../keyboard.ts'
import { type KeyGroup, type KeyText, keyGroups, keysOf } from '../keys.table.ts'
import { areNoticesOn, setNotices } from '../live/fill-notices.ts'
import { useModal } from '../modal.ts'
import { place } from '../router.ts'
import { screens } from '../screens.table.ts'
import { isAuditor, isOperator } from '../session/session.ts'
import { coloursNow, type GainColours, setColours, setTheme, type Theme, themeNow } from '../theme.ts'
import { overlay } from './keys.ts'

const close = (): void => {
  overlay.value = undefined
}

/** All keys, and how the dashboard looks. */
export function KeyList(): JSX.Element | null {
  const dialog = useRef<HTMLDialogElement>(null)
  const isOpen = overlay.value === 'keys'
  useModal(dialog, close, isOpen)
  if (!isOpen) return null
  return (
    <dialog ref={dialog} class="question key-list" aria-labelledby="keys-title">
      <h2 id="keys-title">Keys</h2>
      <div class="key-groups">
        {groupsNow().map(([group, keys]) => (
          <section key={group} aria-label={group}>
            <h3>{group}</h3>
            <dl>
              {keys.map(({ key, does }) => (
                <div key={key} class="key-row">
                  <dt>
                    {key.split(' ').map((part) => (
                      <kbd key={part}>{part}</kbd>
                    ))}
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <Settings />
      <div class="actions">
        <button type="button" class="button" autofocus onClick={close}>
          Close <kbd>Esc</kbd>
        </button>
      </div>
    </dialog>
  )
}

/** All keys: those of the current screen first, then those that work everywhere, then the other screens. */
function groupsNow(): readonly (readonly [group: KeyGroup, keys: readonly KeyText[]])[] {
  const now = new Set(currentKeys().map(({ group }) => group))
  const screen = screens.find(({ name }) => name === place.peek().screen)?.title
  const rankOf = (group: KeyGroup) =>
    group === screen ? 0 : group === 'Everywhere' || group === 'Go to' ? 2 : now.has(group) ? 1 : 3
  const isAllowed = (group: KeyGroup) =>
    isOperator.peek() || !screens.some(({ title, who }) => title === group && who === 'operator')
  return keyGroups
    .filter(isAllowed)
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .map((group) => [group, keysOf(group, !isAuditor.peek(), isOperator.peek())] as const)
}

const themes: Readonly<Record<Theme, string>> = { system: 'As the system', light: 'Light', dark: 'Dark' }
const colours: Readonly<Record<GainColours, string>> = {
  teal: 'Teal and vermilion',
  blue: 'Blue and amber',
  east: 'Red for gains',
  mono: 'No colours',
}

/** Stores a choice and shows it. */
const both =
  <Value,>(store: (value: Value) => void, show: (value: Value) => void) =>
  (value: Value): void => {
    store(value)
    show(value)
  }

function Settings(): JSX.Element {
  const [theme, chooseTheme] = useState(themeNow())
  const [gains, chooseGains] = useState(coloursNow())
  const [isOn, turn] = useState(areSingleKeysOn())
  return (
    <div class="stack">
      <h2>Looks</h2>
      <div class="fields">
        <Select label="Theme" options={themes} value={theme} choose={both(setTheme, chooseTheme)} />
        <Select
          label="Gain and loss"
          options={colours}
          value={gains}
          choose={both(setColours, chooseGains)}
        />
      </div>
      <label class="check-box">
        <input type="checkbox" checked={isOn} onChange={() => both(setSingleKeys, turn)(!isOn)} />
        Single keys work
      </label>
      <label class="check-box">
        <input
          type="checkbox"
          checked={areNoticesOn.value}
          onChange={({ currentTarget }) => void setNotices(currentTarget.checked)}
        />
        A sound and a notice for fills while this tab is hidden
      </label>
    </div>
  )
}

type SelectProps<Value extends string> = {
  readonly label: string
  readonly options: Readonly<Record<Value, string>>
  readonly value: Value
  readonly choose: (value: Value) => void
}

const Select = <Value extends string>({ label, options, value, choose }: SelectProps<Value>): JSX.Element => (
  <label class="field">
    {label}
    <span class="input">
      <select value={value} onChange={({ currentTarget }) => choose(currentTarget.value as Value)}>
        {Object.entries<string>(options).map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </span>
  </label>
)
