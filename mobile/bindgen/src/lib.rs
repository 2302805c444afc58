//! Empty. maturin takes only libraries into a source distribution, and the program next to this file comes with it.
