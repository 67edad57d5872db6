import { useEffect, useState } from 'preact/hooks'
import { type Asset, findAsset } from '../../live/assets.ts'
import { api } from '../../session/selection.ts'

/** The asset of a symbol; null if the world has no such asset, undefined while it is read. */
export function useAsset(symbol: string): Asset | null | undefined {
  const [asset, setAsset] = useState<Asset | null>()
  const connection = api.value
  useEffect(() => {
    setAsset(undefined)
    if (!connection) return undefined
    const closing = new AbortController()
    findAsset(connection, symbol, closing.signal).then(
      (found) => !closing.signal.aborted && setAsset(found),
      () => undefined,
    )
    return () => closing.abort()
  }, [connection, symbol])
  return asset
}
