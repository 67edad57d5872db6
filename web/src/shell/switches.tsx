import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { clock } from '../live/clock.ts'
import { DEMO } from '../live/first-steps.ts'
import { Icon } from '../parts/icon.tsx'
import { LoadingNumber } from '../parts/states.tsx'
import { go, hrefOf, setQuery } from '../router.ts'
import { account, accounts, isWorldKnown, world, worldName, worlds } from '../session/selection.ts'
import { isAuditor, session } from '../session/session.ts'

type Option = { readonly value: string; readonly label: string; readonly isChosen: boolean }

/** The switch between worlds. */
export function WorldSwitch(): JSX.Element {
  const name = worldName.value
  const isVirtual = clockOf(name) === 'virtual'
  const known = worlds.value ?? []
  const hasDemo = known.length === 0 || isAuditor.value || known.some((one) => one.world === DEMO)
  const options = [
    ...known.map((one) => ({ value: one.world, label: one.world, isChosen: one.world === name })),
    ...(hasDemo ? [] : [{ value: DEMO, label: `${DEMO} · play a crash day`, isChosen: false }]),
  ]
  const choose = (chosen: string) =>
    known.some((one) => one.world === chosen) ? chooseWorld(chosen) : go(hrefOf('first', DEMO))
  return (
    <div class={`world-switch ${isVirtual ? '' : 'wall'}`}>
      <Switch label="World" options={options} choose={choose}>
        <span class={`badge ${isVirtual ? 'sim' : ''}`}>
          <Icon name="globe" />
        </span>
        <span class="grow">
          <b>{name}</b>
          <small>{isWorldKnown.value ? <AboutWorld name={name} /> : 'not there'}</small>
        </span>
      </Switch>
    </div>
  )
}

/** The kind of clock of the world on screen; undefined while it is read. Users without operator rights know only the clock. */
function clockOf(name: string): 'wall' | 'virtual' | undefined {
  if (world.value) return world.value.clock
  return clock.value?.world === name ? (clock.value.isVirtual ? 'virtual' : 'wall') : undefined
}

function AboutWorld({ name }: { readonly name: string }): JSX.Element {
  const [kind, seed] = [clockOf(name), world.value?.seed]
  if (kind === undefined) return <LoadingNumber width="4rem" />
  return <>{kind === 'wall' ? 'wall clock' : seed === undefined ? 'virtual' : `virtual · seed ${seed}`}</>
}

/** Shows another world; its first account is chosen. */
export const chooseWorld = (name: string): void =>
  setQuery(
    { world: name === session.value?.world ? undefined : name, account: undefined },
    { replace: false },
  )

/** The switch between accounts. */
export function AccountSwitch(): JSX.Element | null {
  const chosen = account.value
  if (!chosen) return null
  const options = accounts.value.map(({ number, flavour }) => ({
    value: number,
    label: `${number} · ${flavour}`,
    isChosen: number === chosen.number,
  }))
  const position = accounts.value.indexOf(chosen) + 1
  return (
    <Switch
      label="Account"
      options={options}
      above
      choose={(number) => setQuery({ account: number }, { replace: false })}
    >
      <span class={`badge ${chosen.flavour === 'live' ? 'live' : ''}`} aria-hidden="true">
        {chosen.flavour === 'live' ? 'LA' : 'PA'}
      </span>
      <span class="grow">
        <b>{chosen.number}</b>
        <small>
          {chosen.flavour} · {position} of {accounts.value.length}
        </small>
      </span>
    </Switch>
  )
}

type SwitchProps = {
  readonly label: string
  readonly options: readonly Option[]
  readonly choose: (value: string) => void
  readonly above?: boolean
  readonly children: JSX.Element[]
}

/** A button that shows the choice, and a menu with the others. */
function Switch({ label, options, choose, above, children }: SwitchProps): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const whole = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!isOpen) return undefined
    const close = (event: Event) => {
      if (!whole.current?.contains(event.target as Node)) setOpen(false)
    }
    addEventListener('pointerdown', close)
    whole.current?.querySelector<HTMLElement>('[aria-checked="true"]')?.focus()
    return () => removeEventListener('pointerdown', close)
  }, [isOpen])
  return (
    <div ref={whole} onKeyDown={(event) => moveInMenu(event, () => setOpen(false))}>
      <button
        type="button"
        class="switch"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <span class="hidden-text">{label} </span>
        {children}
        <Icon name="upDown" />
      </button>
      {isOpen && (
        <div class={`menu ${above ? 'above' : ''}`} role="menu" aria-label={label}>
          {options.map(({ value, label, isChosen }) => (
            <button
              key={value}
              type="button"
              role="menuitemradio"
              aria-checked={isChosen}
              onClick={() => {
                setOpen(false)
                choose(value)
              }}
            >
              {label}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}

/** Arrow keys move in an open menu, Escape closes it. */
function moveInMenu(event: KeyboardEvent, close: () => void): void {
  const whole = event.currentTarget as HTMLElement
  const items = [...whole.querySelectorAll<HTMLElement>('[role="menuitemradio"]')]
  if (items.length === 0) return
  const at = items.indexOf(document.activeElement as HTMLElement)
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step !== 0) {
    event.preventDefault()
    items[(at + step + items.length) % items.length]?.focus()
  }
  if (event.key === 'Escape') {
    event.preventDefault()
    close()
    whole.querySelector('button')?.focus()
  }
}
