import { NetworkError } from '@quipu/sdk'
import type { ComponentType, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Empty, Failed, NotAllowed } from '../parts/states.tsx'
import { hrefOf, place } from '../router.ts'
import { type ScreenName, screens } from '../screens.table.ts'
import { isWorldKnown, worldName } from '../session/selection.ts'
import { hasRole, isAuditor, isOperator, session } from '../session/session.ts'
import { loadAgain } from '../session/window.ts'
import { worldBefore } from '../shell/rewind.ts'
import { chooseWorld } from '../shell/switches.tsx'

type Module = { readonly default: ComponentType }

/** Each screen is a file of its own, loaded with its first visit. */
const modules: Readonly<Record<ScreenName, () => Promise<Module>>> = {
  workspace: () => import('./workspace/workspace.tsx'),
  orders: () => import('./orders/orders.tsx'),
  ledger: () => import('./ledger/ledger.tsx'),
  worlds: () => import('./worlds/worlds.tsx'),
  runs: () => import('./runs/runs.tsx'),
  activity: () => import('./activity/activity.tsx'),
  tokenization: () => import('./tokenization/tokenization.tsx'),
  first: () => import('./first/first.tsx'),
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
    if (name === undefined) return undefined
    // A screen that the viewer has left already may load after the next one.
    let isLeft = false
    modules[name]().then(
      ({ default: Shown }) => !isLeft && setLoaded({ name, Shown }),
      (cause: Error) => !isLeft && setProblem(new NetworkError(cause.message, { cause })),
    )
    return () => {
      isLeft = true
    }
  }, [name])
  const found = screens.find((screen) => screen.name === name)
  if (!found) return <NotFound />
  if (found.who === 'operator' && !isOperator.value)
    return <NotAllowed name={session.value?.name ?? ''} canRaise={hasRole.value} />
  if (problem) return <Failed what={`the screen ${found.title}`} error={problem} retry={loadAgain} />
  if (!isWorldKnown.value) return <NoWorld />
  return loaded !== undefined && loaded.name === name ? <loaded.Shown /> : <div aria-busy="true" />
}

/** The address names a world that was deleted, was never there, or may not be seen. */
function NoWorld(): JSX.Element {
  const next = worldBefore.value ?? session.value?.world ?? 'main'
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    // A world that was just created is chosen a little before the list of worlds has it.
    const timer = setTimeout(() => setShown(true), 500)
    return () => clearTimeout(timer)
  }, [])
  if (!isShown) return <div aria-busy="true" />
  return (
    <Empty
      icon="globe"
      title={
        isOperator.value ? `There is no world ${worldName.value}` : `You cannot see world ${worldName.value}`
      }
      actions={
        <>
          <button type="button" class="button main" onClick={() => chooseWorld(next)}>
            Show {next}
          </button>
          {hasRole.value && !isOperator.value && (
            <a class="button" href="oauth/operator">
              Raise {isAuditor.value ? 'auditor' : 'operator'} rights
            </a>
          )}
        </>
      }
    >
      {isOperator.value
        ? 'It was deleted, as a branch is that nobody uses for an hour, it ended with a restart of the server, or the address is mistyped.'
        : 'Only operators see other worlds than their own.'}
    </Empty>
  )
}

const NotFound = (): JSX.Element => (
  <div class="empty">
    <h1>There is no such screen</h1>
    <p>
      <a class="link" href={hrefOf('workspace')}>
        Go to Workspace
      </a>
    </p>
  </div>
)
