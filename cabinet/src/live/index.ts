export { LiveDot } from './live-dot.tsx'
export { useLive } from './use-live.ts'
