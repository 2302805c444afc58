import 'react';

declare module 'react' {
  interface TextareaHTMLAttributes<T> {
    /** Newer than the types of React. */
    writingsuggestions?: string;
  }
}
