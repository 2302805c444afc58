/** What consumers and recipes install for themselves, after the linter has run. */

declare module '*/vectors.mjs';
declare module '*/textveil/form.js';
declare module '*.css';
declare module '*.svelte';
declare module '@sveltejs/vite-plugin-svelte';
declare module 'esbuild';
declare module 'htmx.org';
declare module 'svelte';
declare module 'react-dom/client';
declare module 'react-hook-form';
declare module 'next/*';

// Jest's globals.
declare const beforeAll: any;
declare const describe: any;
declare const expect: any;
declare const jest: any;
declare const test: any;
