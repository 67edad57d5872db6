import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'
import { contractModule } from '../sdk/build/contract-module.ts'

export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that the dashboard also works behind a proxy that serves it under a path.
  base: './',
  plugins: [sdkModule()],
  build: {
    outDir: 'dist',
    target: 'es2022',
    // No file becomes part of another: the content policy allows no data URLs but for images.
    assetsInlineLimit: 0,
    // The server needs no help of the browser, and the polyfill would be an inline script.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
})

const contract = fileURLToPath(new URL('../sdk/src/contract.ts', import.meta.url))

/**
 * Uses the sources of the SDK with the flat table of routes of its package, because the contract with all schemas has
 * several times the size. The WebSocket for Node is left out.
 */
function sdkModule(): Plugin {
  const text = contractModule()['contract.ts']
  if (text === undefined) throw new Error('the build of the SDK wrote no contract.ts')
  // The other files of the module have only types.
  const routes = text.replace(/^export \* from .*$/m, '')
  return {
    name: 'quipu-sdk',
    enforce: 'pre',
    load(id) {
      if (id === contract) return routes
      return id.endsWith('/sdk/src/socket/node-socket.ts') ? 'export const WebSocket = undefined' : undefined
    },
  }
}
