import type { ComponentType, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Failed, NotAllowed } from '../parts/states.tsx'
import { hrefOf, place } from '../router.ts'
import { type ScreenName, screens } from '../screens.table.ts'
import { isOperator, session } from '../session/session.ts'

type Module = { readonly default: ComponentType }

/** Each screen is a file of its own, loaded with its first visit. */
const modules: Readonly<Record<ScreenName, () => Promise<Module>>> = {
  home: () => import('./home/home.tsx'),
  markets: () => import('./markets/markets.tsx'),
  orders: () => import('./orders/orders.tsx'),
  ledger: () => import('./ledger/ledger.tsx'),
  worlds: () => import('./worlds/worlds.tsx'),
  activity: () => import('./activity/activity.tsx'),
  tokenization: () => import('./tokenization/tokenization.tsx'),
  keys: () => import('./keys/keys.tsx'),
  operator: () => import('./operator/operator.tsx'),
}

/** The screen of the current address. */
export function Screen(): JSX.Element {
  const { screen: name } = place.value
  const [loaded, setLoaded] = useState<
    { readonly name: ScreenName; readonly Shown: ComponentType } | undefined
  >()
  const [problem, setProblem] = useState<Error>()
  useEffect(() => {
    setProblem(undefined)
    if (name !== undefined)
      modules[name]().then(({ default: Shown }) => setLoaded({ name, Shown }), setProblem)
  }, [name])
  const found = screens.find((screen) => screen.name === name)
  if (!found) return <NotFound />
  if (found.who === 'operator' && !isOperator.value)
    return <NotAllowed name={session.value?.name ?? ''} canRaise={session.value?.operator === true} />
  // A new build has other file names: the page must be loaded again.
  if (problem)
    return <Failed what={`the screen ${found.title}`} error={problem} retry={() => location.reload()} />
  return loaded !== undefined && loaded.name === name ? <loaded.Shown /> : <div aria-busy="true" />
}

const NotFound = (): JSX.Element => (
  <div class="empty">
    <h1>There is no such screen</h1>
    <p>
      <a class="link" href={hrefOf('home')}>
        Go to Home
      </a>
    </p>
  </div>
)
