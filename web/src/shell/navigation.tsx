import type { JSX } from 'preact'
import { current } from '../live/current.ts'
import { Icon, Logo } from '../parts/icon.tsx'
import { hrefOf, place } from '../router.ts'
import { type ScreenName, screens } from '../screens.table.ts'
import { isAccountMissing, worlds } from '../session/selection.ts'
import { isOperator, session } from '../session/session.ts'
import { isRailed } from './rail.ts'
import { AccountSwitch, WorldSwitch } from './switches.tsx'

const LATER: ReadonlySet<ScreenName> = new Set(['keys', 'operator'])

/** Numbers beside the names of screens. */
function countOf(name: ScreenName): string | undefined {
  if (name === 'orders') return current.value?.store.openCount.value
  return name === 'worlds' ? worlds.value?.length.toString() : undefined
}

/** The first steps are for the first day; their link is in the workspace, and the key stays. */
const visible = () =>
  screens.filter(({ who, name }) => (who === 'user' || isOperator.value) && name !== 'first')

/** The navigation at the left: the world first, because it decides everything else. */
export function Navigation(): JSX.Element {
  const [first, later] = [
    visible().filter(({ name }) => !LATER.has(name)),
    visible().filter(({ name }) => LATER.has(name)),
  ]
  return (
    <nav class="nav" aria-label="Main">
      <a class="brand" href={hrefOf('workspace')}>
        <Logo />
        <span class="label">Quipu</span>
      </a>
      {!isRailed.value && <WorldSwitch />}
      <div class="nav-links">
        {first.map((screen) => (
          <NavLink key={screen.name} screen={screen} />
        ))}
        <div class="gap" />
        {later.map((screen) => (
          <NavLink key={screen.name} screen={screen} />
        ))}
        <a href="docs" title="Docs">
          <Icon name="book" />
          <span class="label">Docs</span>
        </a>
      </div>
      <div class="nav-foot">
        <AccountSwitch />
        <ConnectionState />
      </div>
    </nav>
  )
}

function NavLink({ screen }: { readonly screen: (typeof screens)[number] }): JSX.Element {
  const { name, title, icon } = screen
  const count = countOf(name)
  return (
    <a href={hrefOf(name)} title={title} aria-current={place.value.screen === name ? 'page' : undefined}>
      <Icon name={icon} />
      <span class="label">{title}</span>
      {count !== undefined && count !== '0' && <span class="count">{count}</span>}
    </a>
  )
}

const tabNames: readonly ScreenName[] = ['workspace', 'orders', 'worlds', 'activity']

/** The navigation of a phone. */
export const Tabs = (): JSX.Element => (
  <nav class="tabbar" aria-label="Screens">
    {screens
      .filter(({ name }) => tabNames.includes(name))
      .map(({ name, title, icon }) => (
        <a key={name} href={hrefOf(name)} aria-current={place.value.screen === name ? 'page' : undefined}>
          <Icon name={icon} />
          {title}
        </a>
      ))}
    <MoreTab />
  </nav>
)

const MoreTab = (): JSX.Element => (
  <details class="more">
    <summary>
      <Icon name="more" />
      More
    </summary>
    <div class="menu above">
      {visible()
        .filter(({ name }) => !tabNames.includes(name))
        .map(({ name, title, icon }) => (
          <a key={name} href={hrefOf(name)}>
            <Icon name={icon} />
            {title}
          </a>
        ))}
      <a href="docs">
        <Icon name="book" />
        Docs
      </a>
    </div>
  </details>
)

/** Whether the numbers on screen are live. */
function ConnectionState(): JSX.Element {
  const store = current.value?.store
  const [dot, text] = isAccountMissing.value
    ? ['off', 'No account']
    : !store || (store.orderStream.isStale.value && !store.asOf.value)
      ? ['off', 'Connecting']
      : store.orderStream.isStale.value
        ? ['warn', 'Reconnecting']
        : store.orderStream.state.value === 'open'
          ? ['live', 'Live']
          : ['off', 'Connecting']
  return (
    <div class="state" role="status">
      <span class={`dot ${dot}`} />
      <span class="label">{text}</span>
      <span class="right label">{session.value?.name}</span>
    </div>
  )
}
