import 'textveil/element';
