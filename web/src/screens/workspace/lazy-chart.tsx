import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

type Loaded = typeof import('./chart-pane.tsx')

/** The chart comes after the numbers: its code is as large as the rest of the workspace. */
export function LazyChart({ symbol }: { readonly symbol: string | undefined }): JSX.Element {
  const [loaded, setLoaded] = useState<Loaded>()
  const [problem, setProblem] = useState<Error>()
  useEffect(() => {
    import('./chart-pane.tsx').then(setLoaded, setProblem)
  }, [])
  if (problem)
    return (
      <section class="card" role="alert">
        <p class="body">The chart could not be loaded. Load the page again.</p>
      </section>
    )
  if (!loaded || symbol === undefined) return <section class="card" aria-label="Chart" aria-busy="true" />
  return <loaded.ChartPane key={symbol} symbol={symbol} />
}
