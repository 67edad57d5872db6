import { NetworkError } from '@quipu/sdk'
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Failed } from '../../parts/states.tsx'
import { loadAgain } from '../../session/window.ts'
import { LoadingChart } from './loading-panes.tsx'

type Loaded = typeof import('./chart-pane.tsx')

/** A function, because the build puts what follows an import into the promise that loads its styles. */
const load = () => import('./chart-pane.tsx')

/** The chart comes after the numbers: its code is as large as the rest of the workspace. */
export function LazyChart({ symbol }: { readonly symbol: string | undefined }): JSX.Element {
  const [loaded, setLoaded] = useState<Loaded>()
  const [problem, setProblem] = useState<Error>()
  useEffect(() => {
    load().then(setLoaded, (cause: Error) => setProblem(new NetworkError(cause.message, { cause })))
  }, [])
  if (problem)
    return (
      <section class="card" aria-label="Chart">
        <Failed what="the chart" error={problem} retry={loadAgain} />
      </section>
    )
  if (!loaded || symbol === undefined) return <LoadingChart />
  return <loaded.ChartPane key={symbol} symbol={symbol} />
}
