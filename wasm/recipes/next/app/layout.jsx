import '../../shared/recipe.css';

export const metadata = { title: 'Your visit', icons: 'data:,' };

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
