export { Admission, Visit } from './admission.ts'
export { DiskShare } from './disk-share.ts'
export { atOnce, inSlices, nextSlice } from './slices.ts'
export { Overloaded, Turnstile } from './turnstile.ts'
