/** The part of the standard WebSocket that streams use. */
export type WebSocketLike = {
  binaryType: string
  readonly readyState: number
  send(data: string): void
  close(): void
  addEventListener(kind: string, listener: (event: { readonly data: unknown }) => void): void
}

/** A WebSocket class: of the platform, or of a package such as `ws`. */
export type WebSocketClass = new (url: string) => WebSocketLike

/** The WebSocket of the platform. Node 20 has none, so the package brings one that only Node 20 loads. */
export async function platformWebSocket(): Promise<WebSocketClass> {
  const platform = globalThis as { readonly WebSocket?: WebSocketClass }
  const packaged = (): Promise<{ readonly WebSocket: unknown }> => import('./node-socket.ts')
  const WebSocket = platform.WebSocket ?? ((await packaged()).WebSocket as WebSocketClass | undefined)
  if (WebSocket === undefined) throw new TypeError('this platform has no WebSocket: set the option WebSocket')
  return WebSocket
}
