import { defineConfig } from 'vite'
import { sdkModule } from './build/sdk-module.ts'

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
