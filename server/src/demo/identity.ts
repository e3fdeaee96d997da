/**
 * The ids of the demo organization and its application. They are the same in every installation and after every reset.
 */
export const demoOrganizationId = '01980000-0000-7000-8000-00000000d300'
export const demoApplicationId = '01980000-0000-7000-8000-00000000d301'
export const demoTokenName = 'Demo token'
