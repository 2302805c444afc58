/** textveil/react: defines `<textveil-field>`, as textveil/element does. Its types tell React's JSX about the element. */

export { TextveilField } from './element.js';
